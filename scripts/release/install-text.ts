import type { Target } from "../executable.ts";

/** What stands in INSTALL.txt of a target's archive. */
export function installText(target: Target, version: string): string {
  const [system = ""] = target.split("-");
  return `Flagstone ${version} for ${target}
${"=".repeat(`Flagstone ${version} for ${target}`.length)}

${STEPS[system]}
README.md says what it is and what it answers, docs/operating.md how to run it. LICENSES.txt holds the licences of
everything inside, sbom.cdx.json lists it (CycloneDX).
`;
}

const STEPS: Readonly<Record<string, string>> = {
  linux: `The executable needs nothing but glibc and the C++ library, which every common distribution has.

    install -m 755 flagstone /usr/local/bin/flagstone
    flagstone demo                        an example, from memory
    flagstone --data flags.db             your own file; the first start prints a token

scripts/flagstone.service is a unit for systemd; its first lines say how to install it.
`,
  darwin: `The executable was built on Linux and has no valid signature. macOS runs it once it is signed on your machine:

    xattr -d com.apple.quarantine flagstone       only if a browser downloaded it
    codesign --force --sign - flagstone
    ./flagstone demo                              an example, from memory
    ./flagstone --data flags.db                   your own file; the first start prints a token
`,
  win: `In a terminal, in this folder:

    .\\flagstone.exe demo                  an example, from memory
    .\\flagstone.exe --data flags.db       your own file; the first start prints a token

The executable is not signed, so Windows may ask before it runs it for the first time.
`,
};
