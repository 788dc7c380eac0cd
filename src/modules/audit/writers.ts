// Who writes what several people write, such as a draft: the history of its versions says so, and the refusal of a change that has not seen theirs.
import type { Caller } from '../../http/operation.ts'
import { mayRead } from '../accounts/scopes.ts'

/** `id`: of a person, a key or a grant. `name`: what it is called now; null if it has none. */
export type Writer = { id: string; name: string | null }

/** Whether someone who began to save by themselves then is still writing, so that their next version takes the place of the one before. */
export const isStillWriting = (beganAt: Date | null, now: Date): boolean =>
  beganAt !== null && now.getTime() - beganAt.getTime() < WRITTEN_MS_MAX

/** Someone who writes for longer finds what there was at the end of each hour. */
const WRITTEN_MS_MAX = 60 * 60 * 1000

/** Programs are told the names of people only if they may read who is in the team. */
export const authorFor = (reader: Caller, { authorName }: { authorName: string | null }): string | null =>
  reader.grant && !mayRead(reader, 'members') ? null : authorName
