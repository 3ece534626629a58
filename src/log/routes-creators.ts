import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { operation } from "../http/operation.ts";
import { eventCreators } from "./creators-store.ts";
import { EventCreator } from "./schema.ts";

export const listEventCreators = operation({
  id: "getEventCreators",
  summary: "The creators of events",
  tag: "Events",
  method: "GET",
  path: "/api/admin/event-creators",
  permission: null,
  response: v.array(EventCreator),
}).run(({ db, actor }) => eventCreators(db, hiddenProjects(db, actor)));
