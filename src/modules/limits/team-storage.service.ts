// Room for files, which is taken before they are stored. A team without a limit of stored bytes asks for none, and nothing is written for it.
import { Failure } from '../../lib/failure.ts'
import type { LimitsContext } from './limits.context.ts'

type Needs = Pick<LimitsContext, 'quotas'> & { repositories: Pick<LimitsContext['repositories'], 'teamStorage'> }

/** Ended once the rows that name the files are committed, or nothing was stored. */
export type StorageRoom = { end(): Promise<void> }

const NO_LIMIT: StorageRoom = { end: async () => {} }

/** A Failure of the kind `storageFull` if the team has no room for these files. */
export async function takeStorage({ quotas, repositories }: Needs, teamId: string, bytes: number): Promise<StorageRoom | Failure> {
  if (bytes === 0 || (await quotas.limitsOf(teamId)).stored_bytes === null) return NO_LIMIT
  const taken = await repositories.teamStorage.takeRoom(teamId, bytes)
  if (taken.kind === 'unlimited') return NO_LIMIT
  if (taken.kind === 'full') return storageFailure(taken, bytes)
  return {
    // If it fails, the room returns when it expires.
    end: () => repositories.teamStorage.release(teamId, taken.id).catch(() => {}),
  }
}

/** Does `store` within the room that it needs. @throws Failure `storageFull` if there is none, and whatever `store` throws */
export async function withinStorage<Result>(
  needs: Needs,
  { teamId, bytes }: { teamId: string; bytes: number },
  store: () => Promise<Result>,
): Promise<Result> {
  const room = await takeStorage(needs, teamId, bytes)
  if (room instanceof Failure) throw room
  try {
    return await store()
  } finally {
    await room.end()
  }
}

/** Whether not even one more byte may be stored. */
export async function isStorageFull({ quotas, repositories }: Needs, teamId: string): Promise<boolean> {
  const { stored_bytes: limit } = await quotas.limitsOf(teamId)
  if (limit === null) return false
  const used = await repositories.teamStorage.used(teamId)
  return used !== null && used >= limit
}

const storageFailure = ({ limit, left }: { limit: number; left: number }, bytes: number): Failure =>
  new Failure(
    'storageFull',
    `The files of your team may take ${limit.toLocaleString('en')} bytes. ${left === 0 ? 'None are left' : `${left.toLocaleString('en')} of them are left`}, and these files have ${bytes.toLocaleString('en')}. Delete received emails and images that you do not need, or ask your operator for more.`,
  )
