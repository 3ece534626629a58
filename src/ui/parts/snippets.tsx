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
export function Snippets(props: SnippetsProps) {
  const snippets = snippetsFor({ ...props, url: url() });
  const [language, setLanguage] = useState(snippets[0]!.language);
  const selected = snippets.find((snippet) => snippet.language === language) ?? snippets[0]!;
  return (
    <div>
      <p>
        <label>
          Language{" "}
          <select value={selected.language} onChange={(event) => setLanguage(event.currentTarget.value)}>
            {snippets.map((snippet) => (
              <option key={snippet.language}>{snippet.language}</option>
            ))}
          </select>
        </label>
      </p>
      <Snippet text={selected.text} label={`For ${selected.language}`} />
    </div>
  );
}
