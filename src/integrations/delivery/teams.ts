import { customHeaders, withProblem } from "./headers.ts";
import { maskedUrl } from "./masked-url.ts";
import { type Deliver, textOf } from "./provider.ts";
import { outcomeOf } from "./single.ts";
import { linkTo, toMarkdown } from "./text.ts";

/** Posts a message card to Microsoft Teams. */
export const teams: Deliver = async (job, { post, publicUrl }) => {
  const { event, summary, now } = job;
  const url = textOf(job, "url");
  const { headers, problem } = customHeaders(job);
  const body = {
    themeColor: "0076D7",
    summary: "Message",
    sections: [
      {
        activityTitle: toMarkdown(summary, publicUrl),
        activitySubtitle: "Unleash notification update",
        facts: [
          { name: "User", value: event.createdBy },
          { name: "Action", value: event.type },
        ],
      },
    ],
    potentialAction: [
      {
        "@type": "OpenUri",
        name: "Go to feature",
        targets: [{ os: "default", uri: linkTo(event, publicUrl) }],
      },
    ],
  };
  const message = { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
  return withProblem(
    outcomeOf("Teams webhook request", await post(url, message, now), { url: maskedUrl(url), body }),
    problem,
  );
};
