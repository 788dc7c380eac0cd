// The segments, topics and properties of an import that still exist. Those that were deleted while the file is read are left out, and do not
// prevent an opt-out.
import { lockPropertiesShared, lockSegmentsShared } from '../contacts/audience-references.ts'
import type { Execute } from '../database.ts'
import { lockChosenTopics } from '../topics/topic-choices.ts'
import type { ImportToRun } from './contact-imports.ts'

type References = Pick<ImportToRun, 'segmentIds' | 'topics'> & {
  /** Numbers of the properties. */
  properties: Set<number>
}

/** They stay until the transaction ends. */
export async function lockReferences(
  execute: Execute,
  teamId: string,
  { segmentIds, topics, columns }: Pick<ImportToRun, 'segmentIds' | 'topics' | 'columns'>,
): Promise<References> {
  const numbers = columns.properties.map(({ number }) => number)
  const segments = await lockSegmentsShared(execute, teamId, segmentIds)
  return {
    // A segment that got a filter is left out too, because it finds its contacts by itself.
    segmentIds: segmentIds.filter((id) => segments.get(id.toLowerCase())?.hasFilter === false),
    topics: await lockChosenTopics(execute, teamId, topics),
    properties: await lockPropertiesShared(execute, teamId, numbers),
  }
}
