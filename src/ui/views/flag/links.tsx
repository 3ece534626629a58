import { IconButton } from "../../parts/controls.tsx";
import { FormDialog, Opener } from "../../parts/dialog.tsx";
import { text } from "../../parts/fields.tsx";
import { change } from "../../reads.ts";
import { may } from "../../session.ts";
import { FEATURE, type FlagProps, paramsOf } from "./frame.tsx";

/** What a flag links to, such as where its code is. */
export function Links({ flag }: FlagProps) {
  const isAllowed = may("UPDATE_FEATURE", { project: flag.project });
  const params = paramsOf(flag);
  return (
    <div class="chips">
      {flag.links.map(({ id, url, title }) => (
        <span key={id} class="chip">
          <bdi>
            <WebLink url={url} title={title} />
          </bdi>
          {isAllowed && (
            <IconButton
              icon="close"
              label={`Remove the link ${title || url}`}
              onClick={() => change(`DELETE ${FEATURE}/link/:linkId`, { params: { ...params, linkId: id } })}
            />
          )}
        </span>
      ))}
      <Opener isAllowed={isAllowed} label="Add a link" parameter="link">
        <FormDialog
          title="Add a link"
          initial={{ url: "", title: "" }}
          fields={() => ({
            url: text("Address", { required: true, autofocus: true }),
            title: text("Title"),
          })}
          submit="Add the link"
          send={(body) => change(`POST ${FEATURE}/link`, { params, body })}
        />
      </Opener>
    </div>
  );
}

/** A link to a page elsewhere; only its text if it is none, such as a script that an import has brought. */
export const WebLink = ({ url, title }: { url: string; title?: string | null }) =>
  /^https?:/i.test(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {title || url}
    </a>
  ) : (
    title || url
  );
