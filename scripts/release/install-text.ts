import type { Target } from "../executable.ts";

/** The INSTALL.txt for a target's archive. */
export function installText(target: Target, version: string): string {
  const [system = ""] = target.split("-");
  return `Flagstone ${version} for ${target}
${"=".repeat(`Flagstone ${version} for ${target}`.length)}

${STEPS[system]}
README.md introduces Flagstone, docs/operating.md explains how to run it. LICENSES.txt has the licences of everything
inside, and sbom.cdx.json lists it (CycloneDX).
`;
}

const STEPS: Readonly<Record<string, string>> = {
  linux: `The executable needs only glibc and the C++ library, which every common distribution has.

    install -m 755 flagstone /usr/local/bin/flagstone
    flagstone demo                        a demo, in memory
    flagstone --data flags.db             your own file; the first start prints a token

scripts/flagstone.service is a systemd unit; its first lines explain how to install it.
`,
  darwin: `The executable was built on Linux and has no valid signature. macOS runs it once it is signed on your machine:

    xattr -d com.apple.quarantine flagstone       only if a browser downloaded it
    codesign --force --sign - flagstone
    ./flagstone demo                              a demo, in memory
    ./flagstone --data flags.db                   your own file; the first start prints a token
`,
  win: `In a terminal, in this folder:

    .\\flagstone.exe demo                  a demo, in memory
    .\\flagstone.exe --data flags.db       your own file; the first start prints a token

The executable is not signed, so Windows may ask for confirmation the first time.
`,
};
