import { Tabs } from "../../parts/tabs.tsx";

/** Who there is, and what they may. */
export const PeopleTabs = () => (
  <Tabs
    label="People"
    tabs={[
      ["/people", "Users"],
      ["/people/groups", "Groups"],
      ["/people/roles", "Roles"],
      ["/people/service-accounts", "Service accounts"],
      ["/people/invitations", "Invitations"],
    ]}
  />
);
