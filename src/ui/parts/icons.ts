/*
 * The icons of the page, by what they mean here.
 */

export { default as strategy } from "heroicons/20/solid/adjustments-horizontal.svg";
export { default as archive } from "heroicons/20/solid/archive-box.svg";
export { default as bring } from "heroicons/20/solid/arrow-down-tray.svg";
export { default as refresh } from "heroicons/20/solid/arrow-path.svg";
export { default as menu } from "heroicons/20/solid/bars-3.svg";
export { default as play } from "heroicons/20/solid/beaker.svg";
export { default as bell } from "heroicons/20/solid/bell.svg";
export { default as instance } from "heroicons/20/solid/chart-bar-square.svg";
export { default as check } from "heroicons/20/solid/check.svg";
export { default as down } from "heroicons/20/solid/chevron-down.svg";
export { default as right } from "heroicons/20/solid/chevron-right.svg";
export { default as up } from "heroicons/20/solid/chevron-up.svg";
export { default as log } from "heroicons/20/solid/clock.svg";
export { default as api } from "heroicons/20/solid/code-bracket.svg";
export { default as screen } from "heroicons/20/solid/computer-desktop.svg";
export { default as copy } from "heroicons/20/solid/document-duplicate.svg";
export { default as flag } from "heroicons/20/solid/flag.svg";
export { default as project } from "heroicons/20/solid/folder.svg";
export { default as segment } from "heroicons/20/solid/funnel.svg";
export { default as home } from "heroicons/20/solid/home.svg";
export { default as context } from "heroicons/20/solid/identification.svg";
export { default as key } from "heroicons/20/solid/key.svg";
export { default as find } from "heroicons/20/solid/magnifying-glass.svg";
export { default as moon } from "heroicons/20/solid/moon.svg";
export { default as pause } from "heroicons/20/solid/pause.svg";
export { default as edit } from "heroicons/20/solid/pencil-square.svg";
export { default as add } from "heroicons/20/solid/plus.svg";
export { default as integration } from "heroicons/20/solid/puzzle-piece.svg";
export { default as help } from "heroicons/20/solid/question-mark-circle.svg";
export { default as application } from "heroicons/20/solid/rocket-launch.svg";
export { default as environment } from "heroicons/20/solid/server-stack.svg";
export { default as star } from "heroicons/20/solid/star.svg";
export { default as sun } from "heroicons/20/solid/sun.svg";
export { default as tag } from "heroicons/20/solid/tag.svg";
export { default as remove } from "heroicons/20/solid/trash.svg";
export { default as user } from "heroicons/20/solid/users.svg";
export { default as close } from "heroicons/20/solid/x-mark.svg";
