import type { Context } from '../../context.ts'
import { dateFields, eventsWithDates } from '../../lib/automations/date-fields.ts'
import type { Graph } from '../../lib/automations/graph.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import type { PropertyRow } from '../../repositories/contacts/contact-properties.ts'

const GRAPHS_MAX = 200
/** A graph never changes; this only lets go of those that no run needs any longer. */
const GRAPH_MS = 600_000
/** What decisions need beside the rows of a run. */
export function createGraphCache({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const graphs = createExpiringCache<Graph>({ entriesMax: GRAPHS_MAX, clock })

  /** Reads the schemas of events, if a rule asks for them. They are not cached, because a change of a schema counts at once. */
  async function datesOf(teamId: string, graph: Graph): Promise<ReadonlySet<string> | undefined> {
    const names = eventsWithDates(graph)
    return names.length === 0 ? undefined : dateFields(graph, await repositories.events.schemasOf(teamId, names))
  }

  return {
    datesOf,

    /** Null if it is gone with its automation. */
    async graphOf(teamId: string, versionId: string): Promise<Graph | null> {
      const known = graphs.get(versionId)
      if (known) return known
      const found = await repositories.automationRuns.graphOf(teamId, versionId)
      if (found) graphs.set(versionId, found, GRAPH_MS)
      return found
    },

    /** Reads the properties of these teams. They are not cached, because a condition sees a property as soon as it exists. */
    async propertiesOf(teamIds: string[]): Promise<Map<string, PropertyRow[]>> {
      const found = [...new Set(teamIds)].map(async (teamId) => [teamId, await repositories.contactProperties.all(teamId)] as const)
      return new Map(await Promise.all(found))
    },
  }
}

export type GraphCache = ReturnType<typeof createGraphCache>
