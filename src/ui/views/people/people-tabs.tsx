import { Tabs } from "../../parts/tabs.tsx";

/** The views of users and their permissions. */
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
