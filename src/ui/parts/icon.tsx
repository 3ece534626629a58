import strategy from "heroicons/20/solid/adjustments-horizontal.svg";
import archive from "heroicons/20/solid/archive-box.svg";
import refresh from "heroicons/20/solid/arrow-path.svg";
import menu from "heroicons/20/solid/bars-3.svg";
import play from "heroicons/20/solid/beaker.svg";
import check from "heroicons/20/solid/check.svg";
import down from "heroicons/20/solid/chevron-down.svg";
import right from "heroicons/20/solid/chevron-right.svg";
import up from "heroicons/20/solid/chevron-up.svg";
import log from "heroicons/20/solid/clock.svg";
import api from "heroicons/20/solid/code-bracket.svg";
import copy from "heroicons/20/solid/document-duplicate.svg";
import flag from "heroicons/20/solid/flag.svg";
import project from "heroicons/20/solid/folder.svg";
import segment from "heroicons/20/solid/funnel.svg";
import home from "heroicons/20/solid/home.svg";
import context from "heroicons/20/solid/identification.svg";
import key from "heroicons/20/solid/key.svg";
import pause from "heroicons/20/solid/pause.svg";
import edit from "heroicons/20/solid/pencil-square.svg";
import add from "heroicons/20/solid/plus.svg";
import integration from "heroicons/20/solid/puzzle-piece.svg";
import help from "heroicons/20/solid/question-mark-circle.svg";
import environment from "heroicons/20/solid/server-stack.svg";
import star from "heroicons/20/solid/star.svg";
import tag from "heroicons/20/solid/tag.svg";
import remove from "heroicons/20/solid/trash.svg";
import user from "heroicons/20/solid/users.svg";
import close from "heroicons/20/solid/x-mark.svg";

const ICONS = {
  add,
  api,
  archive,
  check,
  close,
  context,
  copy,
  down,
  edit,
  environment,
  flag,
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
  segment,
  star,
  strategy,
  tag,
  up,
  user,
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
