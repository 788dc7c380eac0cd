// What a deleted segment, topic or contact property leaves behind, removed in bites that are in nobody's way.
import type { Context } from '../context.ts'

/** Rows that one statement removes. */
const ROWS_AT_ONCE = 5_000

type Dependencies = Pick<Context, 'repositories'>

/** Somebody held rows that are to be removed: the job is to be tried again. */
export class LeftoversHeld extends Error {
  constructor() {
    super('Rows that are to be removed are in use')
  }
}

export type RemoveMembersPayload = { segmentId: string } | { topicId: string }

/** `signal`: the service is stopping. What is removed by then stays so, and the rest follows when the job is tried again. */
type Options = { signal: AbortSignal; rowsMax?: number }

export async function removeMembers(
  { repositories }: Dependencies,
  payload: RemoveMembersPayload,
  { signal, rowsMax = ROWS_AT_ONCE }: Options,
): Promise<void> {
  const { orphanedMembers } = repositories
  const removeSome = () =>
    'segmentId' in payload
      ? orphanedMembers.removeOfSegmentAcrossTeams(payload.segmentId, rowsMax)
      : orphanedMembers.removeOfTopicAcrossTeams(payload.topicId, rowsMax)
  while ((await removeSome()) > 0) signal.throwIfAborted()
  if (await orphanedMembers.areLeftAcrossTeams(payload)) throw new LeftoversHeld()
}

export type RemoveValuesPayload = { teamId: string; number: number }

export async function removePropertyValues(
  { repositories }: Dependencies,
  { teamId, number }: RemoveValuesPayload,
  { signal, rowsMax = ROWS_AT_ONCE }: Options,
): Promise<void> {
  let passedOver = 0
  for (let after: string | null = FIRST_ID; after !== null; ) {
    signal.throwIfAborted()
    const step = await repositories.contactProperties.removeValues(teamId, number, { after, contactsMax: rowsMax })
    passedOver += step.passedOver
    after = step.last
  }
  if (passedOver > 0) throw new LeftoversHeld()
}

/** Smaller than every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
