// Room on the disk for large messages until they are accepted or refused. Nothing else counts them: those of POST /emails are bodies in memory.
import type { Context } from '../../context.ts'
import { createAmounts } from '../amounts.ts'
import type { InboundLimits } from '../limits.ts'
import type { RefusalReason } from '../replies.ts'

export type SpoolRoom = {
  /** A message of this team begins to arrive. */
  open(teamId: string): SpooledMessage
}

export type SpooledMessage = {
  /** Null if there is room on the disk for these bytes, which then count. */
  take(bytes: number): Promise<RefusalReason | null>
  /** Its blob is gone, or that of an email. */
  end(): void
}

export function createSpoolRoom(
  { gateways: { diskSpace } }: Pick<Context, 'gateways'>,
  { waitingBytesMax }: Pick<InboundLimits, 'waitingBytesMax'>,
): SpoolRoom {
  const spooled = createAmounts()
  return {
    open(teamId) {
      let taken = 0
      return {
        async take(bytes) {
          // A team may take up as much as is left: one alone half of the room, and another always finds some.
          if (spooled.inAll.bytes + spooled.of(teamId).bytes + bytes > waitingBytesMax) return 'waiting'
          taken += bytes
          spooled.add(teamId, { messages: 0, bytes })
          diskSpace.use(bytes)
          return (await diskSpace.isLow()) ? 'disk' : null
        },
        end() {
          spooled.add(teamId, { messages: 0, bytes: -taken })
          taken = 0
        },
      }
    },
  }
}
