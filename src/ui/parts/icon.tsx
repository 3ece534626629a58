import strategy from "heroicons/20/solid/adjustments-horizontal.svg";
import archive from "heroicons/20/solid/archive-box.svg";
import back from "heroicons/20/solid/arrow-left.svg";
import refresh from "heroicons/20/solid/arrow-path.svg";
import menu from "heroicons/20/solid/bars-3.svg";
import play from "heroicons/20/solid/beaker.svg";
import bell from "heroicons/20/solid/bell.svg";
import check from "heroicons/20/solid/check.svg";
import down from "heroicons/20/solid/chevron-down.svg";
import right from "heroicons/20/solid/chevron-right.svg";
import up from "heroicons/20/solid/chevron-up.svg";
import log from "heroicons/20/solid/clock.svg";
import api from "heroicons/20/solid/code-bracket.svg";
import settings from "heroicons/20/solid/cog-6-tooth.svg";
import copy from "heroicons/20/solid/document-duplicate.svg";
import warning from "heroicons/20/solid/exclamation-triangle.svg";
import flag from "heroicons/20/solid/flag.svg";
import project from "heroicons/20/solid/folder.svg";
import segment from "heroicons/20/solid/funnel.svg";
import home from "heroicons/20/solid/home.svg";
import context from "heroicons/20/solid/identification.svg";
import key from "heroicons/20/solid/key.svg";
import search from "heroicons/20/solid/magnifying-glass.svg";
import pause from "heroicons/20/solid/pause.svg";
import edit from "heroicons/20/solid/pencil-square.svg";
import add from "heroicons/20/solid/plus.svg";
import integration from "heroicons/20/solid/puzzle-piece.svg";
import help from "heroicons/20/solid/question-mark-circle.svg";
import environment from "heroicons/20/solid/server-stack.svg";
import role from "heroicons/20/solid/shield-check.svg";
import star from "heroicons/20/solid/star.svg";
import tag from "heroicons/20/solid/tag.svg";
import remove from "heroicons/20/solid/trash.svg";
import group from "heroicons/20/solid/user-group.svg";
import user from "heroicons/20/solid/users.svg";
import application from "heroicons/20/solid/window.svg";
import close from "heroicons/20/solid/x-mark.svg";

const ICONS = {
  add,
  api,
  application,
  archive,
  back,
  bell,
  check,
  close,
  context,
  copy,
  down,
  edit,
  environment,
  flag,
  group,
  help,
  home,
  integration,
  key,
  log,
  menu,
  pause,
  play,
  project,
  refresh,
  remove,
  right,
  role,
  search,
  segment,
  settings,
  star,
  strategy,
  tag,
  up,
  user,
  warning,
};

export type IconName = keyof typeof ICONS;

interface IconProps {
  name: IconName;
  /** Its tooltip; as that of a button, screen readers would read it after the button's name. */
  title?: string;
}

/** Decorative: whatever it says is also said in words beside it. */
export const Icon = ({ name, title }: IconProps) => (
  <span class="icon" aria-hidden="true" title={title} dangerouslySetInnerHTML={{ __html: ICONS[name] }} />
);
