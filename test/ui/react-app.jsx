import { FlagProvider, useFlag, useFlagsStatus, useVariant } from "@unleash/proxy-client-react";
import { createRoot } from "react-dom/client";

/*
 * A page as its developers would write it, configured by `window.config`. Shows two flags and the latest error.
 */

function Flags() {
  const { flagsReady, flagsError } = useFlagsStatus();
  const isOn = useFlag("menu");
  const { name } = useVariant("cart");
  if (!flagsReady) return <p>not ready</p>;
  return (
    <p>
      cart is {name}, menu is {isOn ? "on" : "off"}, {flagsError?.code ?? "all is well"}
    </p>
  );
}

createRoot(document.body.firstElementChild).render(
  <FlagProvider config={window.config}>
    <Flags />
  </FlagProvider>,
);
