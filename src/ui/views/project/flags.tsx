import { useState } from "preact/hooks";
import { isFiltered, useDialog, useFilters } from "../../address.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button } from "../../parts/button.tsx";
import { Pager } from "../../parts/table.tsx";
import { useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { BulkBar } from "./bulk.tsx";
import { FILTERS, FLAG_FILTERS, FlagFilters, queryOf } from "./flag-filters.tsx";
import { FlagTable } from "./flag-table.tsx";
import { NewFlag } from "./new-flag.tsx";
import { type Project, ProjectFrame } from "./project-frame.tsx";

const PAGE = 50;

/** The flags of a project, each with a switch per environment; searched, sorted and paged by the server. */
export function View() {
  const [filters, setFilters] = useFilters(FILTERS);
  const creating = useDialog("new");
  return (
    <ProjectFrame
      actions={(_, id) =>
        may("CREATE_FEATURE", { project: id }) && (
          <Button kind="main" icon="add" onClick={() => creating.open()}>
            New flag
          </Button>
        )
      }
    >
      {(project, id) => (
        <>
          {project.description && <p class="muted">{project.description}</p>}
          <FlagFilters filters={filters} onChange={setFilters} />
          <Flags project={project} id={id} />
          {creating.of && <NewFlag project={project} id={id} onClose={creating.close} />}
        </>
      )}
    </ProjectFrame>
  );
}

function Flags({ project, id }: { project: Project; id: string }) {
  const [filters, setFilters] = useFilters(FILTERS);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const offset = Number(filters.offset) || 0;
  const read = useRead("GET /api/admin/search/features", {
    query: { ...queryOf(filters), project: `IS:${id}`, offset, limit: PAGE },
  });
  const environments = project.environments.map(({ environment }) => environment);
  const canSelect = may("UPDATE_FEATURE", { project: id }) || may("DELETE_FEATURE", { project: id });
  return (
    <Answer read={read}>
      {({ features, total }) => (
        <>
          {selected.size > 0 && (
            <BulkBar
              project={id}
              environments={environments}
              names={[...selected]}
              onDone={() => setSelected(new Set())}
            />
          )}
          <FlagTable
            project={id}
            environments={environments}
            features={features}
            empty={isFiltered(filters, FLAG_FILTERS) ? "No flags match." : "No flags yet."}
            sorting={{
              by: filters.sortBy,
              order: filters.sortOrder === "desc" ? "desc" : "asc",
              onSort: (sortBy, sortOrder) => setFilters({ sortBy, sortOrder, offset: "0" }),
            }}
            selection={canSelect ? { selected, onSelect: setSelected } : undefined}
          />
          <Pager
            offset={offset}
            limit={PAGE}
            total={total}
            onMove={(offset) => setFilters({ offset: String(offset) })}
          />
        </>
      )}
    </Answer>
  );
}
