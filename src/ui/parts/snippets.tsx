import { useState } from "preact/hooks";
import { snippetsFor } from "../snippets.ts";
import { Snippet } from "./secret.tsx";

interface SnippetsProps {
  token: string;
  feature: string;
  isFrontend: boolean;
}

/** The server's address, without a trailing slash. */
const url = () => document.baseURI.replace(/\/$/, "");

/** Sample code for an application, in the language of choice. */
export function Snippets(given: SnippetsProps) {
  const snippets = snippetsFor({ ...given, url: url() });
  const [language, setLanguage] = useState(snippets[0]!.language);
  const shown = snippets.find((one) => one.language === language) ?? snippets[0]!;
  return (
    <div>
      <p>
        <label>
          Language{" "}
          <select value={shown.language} onChange={(event) => setLanguage(event.currentTarget.value)}>
            {snippets.map((one) => (
              <option key={one.language}>{one.language}</option>
            ))}
          </select>
        </label>
      </p>
      <Snippet text={shown.text} label={`For ${shown.language}`} />
    </div>
  );
}
