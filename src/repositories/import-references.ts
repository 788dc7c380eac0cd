// What an import names, as far as it is still there: what was deleted while the file is read is left out, and keeps nobody's opt-out from being read.
import { keepProperties } from './audience-references.ts'
import type { ImportToRun } from './contact-imports.ts'
import type { Execute } from './database.ts'
import { lockTopics } from './topic-choices.ts'

type References = Pick<ImportToRun, 'segmentIds' | 'topics'> & {
  /** Numbers of the properties. */
  properties: Set<number>
}

/** They stay until the transaction ends. */
export async function keepReferences(
  execute: Execute,
  teamId: string,
  { segmentIds, topics, columns }: Pick<ImportToRun, 'segmentIds' | 'topics' | 'columns'>,
): Promise<References> {
  const numbers = columns.properties.map(({ number }) => number)
  return {
    segmentIds: await keepSegments(execute, teamId, segmentIds),
    topics: await lockTopics(execute, teamId, topics),
    properties: await keepProperties(execute, teamId, numbers),
  }
}

/** One that got a filter is left out as well: it finds its contacts by itself. */
async function keepSegments(execute: Execute, teamId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await execute<{ id: string }>(
    'select id from segments where team_id = $1 and id = any($2::uuid[]) and filter is null order by id for key share',
    [teamId, ids],
  )
  return rows.map(({ id }) => id)
}
