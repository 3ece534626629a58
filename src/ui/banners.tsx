import success from "heroicons/20/solid/check-circle.svg";
import warning from "heroicons/20/solid/exclamation-triangle.svg";
import information from "heroicons/20/solid/information-circle.svg";
import error from "heroicons/20/solid/x-circle.svg";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Output } from "./api.ts";
import { Button } from "./parts/controls.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Summary } from "./parts/words.tsx";
import { useRead } from "./reads.ts";

type Banner = Output<"GET /api/admin/banners">["banners"][number];

/** Above every view: that changes are refused, while they are, and what the administrators tell everyone. */
export function Banners() {
  const banners = useRead("GET /api/admin/banners").data?.banners ?? [];
  const isMaintained = useRead("GET /api/admin/ui-config").data?.maintenanceMode;
  return (
    <>
      {isMaintained && (
        <Notice variant="warning">Maintenance mode is on: changes are refused until it ends.</Notice>
      )}
      {banners
        .filter(({ enabled }) => enabled)
        .map((banner) => (
          <BannerNotice key={banner.id} {...banner} />
        ))}
    </>
  );
}

/** What says of which kind a notice is, to the eye and by ear. */
const KINDS = {
  info: [information, "Note"],
  success: [success, "Good news"],
  warning: [warning, "Warning"],
  error: [error, "Problem"],
} as const;

interface NoticeProps {
  variant: Banner["variant"];
  /** It stays in sight when the view is scrolled. */
  isSticky?: boolean;
  children: ComponentChildren;
}

function Notice({ variant, isSticky = false, children }: NoticeProps) {
  const [icon, word] = KINDS[variant];
  return (
    <p class={`notice ${variant}${isSticky ? " sticky" : ""}`}>
      <span class="icon" aria-hidden="true" dangerouslySetInnerHTML={{ __html: icon }} />
      <span>
        <span class="unseen">{word}: </span>
        {children}
      </span>
    </p>
  );
}

export const BannerNotice = ({ variant, sticky, message, ...more }: Omit<Banner, "id" | "createdAt">) => (
  <Notice variant={variant} isSticky={sticky}>
    <Marked text={message} /> {more.link && <More {...more} link={more.link} />}
  </Notice>
);

const LINK = /(\[[^\]]+\]\((?:https?:\/)?\/[^)\s]+\))/;

/** Markdown, of which bold text and links are shown. */
const Marked = ({ text }: { text: string }) => (
  <bdi>
    {text.split(LINK).map((part, index) => {
      const [label = "", to = ""] = part.slice(1, -1).split("](");
      return index % 2 === 0 ? (
        <Summary key={index} text={part} />
      ) : (
        <Way key={index} label={label} to={to} />
      );
    })}
  </bdi>
);

/** A link to a view, or to a page elsewhere. */
const Way = ({ label, to }: { label: string; to: string }) =>
  to.startsWith("/") ? (
    <Link href={to}>{label}</Link>
  ) : (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );

type MoreProps = Pick<Banner, "linkText" | "dialogTitle" | "dialog"> & { link: string };

/** Where a banner leads: a page, or a dialog of its own. */
function More({ link, linkText, dialogTitle, dialog }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  const label = linkText || "More";
  if (link !== "dialog") return <Way label={label} to={link} />;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen && (
        <Dialog title={dialogTitle || label} onClose={() => setOpen(false)}>
          {(dialog ?? "").split(/\n{2,}/).map((paragraph, index) => (
            <p key={index}>
              <Marked text={paragraph} />
            </p>
          ))}
        </Dialog>
      )}
    </>
  );
}
