// Workers, operators and clients of one queue, for tests that let them act in any order: the real repositories, a clock that is moved, and what
// each worker believes it holds. A worker that was declared dead may still act under its old id; such ghosts are kept too.
import { createId } from '../../../../src/lib/ids.ts'
import { sentNotification, toSettlement } from '../../../../src/modules/delivery/engine/settlements.ts'
import {
  chooseLanes,
  covers,
  NEW_ROUND_ROBIN,
  type QueuePart,
  type RoundRobinState,
  WHOLE_QUEUE,
} from '../../../../src/modules/delivery/lanes.ts'
import type { ClaimedDelivery, Settlement } from '../../../../src/modules/delivery/queue/deliveries.repository.ts'
import { createLaneCache } from '../../../../src/modules/delivery/queue/lane-cache.ts'
import { outcome, sendEmail } from '../../../support/builders/engine.ts'
import type { MovingClock } from '../../../support/clocks/clocks.ts'
import type { TestService } from '../../../support/servers/service.ts'

export type OutcomeKind = 'delivered' | 'delayed' | 'bounced'

type Begun = { delivery: ClaimedDelivery; attemptId: string }
type Worker = { id: string; claimed: ClaimedDelivery[]; begun: Begun[]; book: ReturnType<typeof createLaneCache>; turns: RoundRobinState }

/** Places that a worker fills at once. */
const PLACES = 20
/** After this time the pauses are read again. */
const PAUSES_HEARD_MS = 1_000

export async function createEngineWorld(service: TestService, clock: MovingClock, workerCount: number) {
  const { repositories } = service.service.context
  const { deliveries, lanes, queuePauses, workerLeases } = repositories
  const workers: Worker[] = []
  const ghosts: Worker[] = []
  const scheduledIds: string[] = []
  const canceled = new Set<string>()
  /** Violated guarantees, in words; empty while all is well. */
  const broken: string[] = []
  for (let count = 0; count < workerCount; count++) workers.push(await enter())

  async function enter(): Promise<Worker> {
    const id = createId()
    await workerLeases.register(id)
    return { id, claimed: [], begun: [], book: createLaneCache({ repositories, clock }), turns: NEW_ROUND_ROBIN }
  }

  const held = (worker: Worker) => [...worker.claimed, ...worker.begun.map(({ delivery }) => delivery)]
  /** Picks one of those that have something to act on. */
  const pick = <Item>(items: Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)]

  function take(worker: Worker, taken: ClaimedDelivery[], pauses: QueuePart[]): number {
    for (const delivery of taken) {
      if (workers.some((other) => held(other).some(({ id }) => id === delivery.id))) broken.push(`${delivery.id} has two owners`)
      if (pauses.some((pause) => covers(pause, delivery))) broken.push(`${delivery.id} was claimed while paused`)
    }
    worker.claimed.push(...taken)
    return taken.length
  }

  async function settleAs(worker: Worker, begun: Begun[], kind: OutcomeKind): Promise<Settlement[]> {
    const settlements = begun.map(({ delivery, attemptId }) =>
      toSettlement(delivery, attemptId, outcome(kind), { now: clock.now(), random: () => 0.5 }),
    )
    await deliveries.settle(worker.id, settlements, clock.now())
    return settlements
  }

  const world = {
    broken,

    async accept({ destinations, inMs, isOtherTeam }: { destinations: string[]; inMs: number | null; isOtherTeam: boolean }) {
      const fields = {
        to: destinations.map((destination, index) => `r${index}@${destination}`),
        ...(inMs !== null && { scheduled_at: new Date(clock.now().getTime() + inMs).toISOString() }),
      }
      const id = await sendEmail(service, fields, isOtherTeam ? service.other.token : service.token)
      if (inMs !== null) scheduledIds.unshift(id)
    },

    /** As the engine does: moves due rows into their lanes, chooses among them, and claims alone what may kill its worker. */
    async claim(index: number): Promise<number> {
      clock.advance(PAUSES_HEARD_MS)
      const worker = pick(workers, index)
      if (!worker) return 0
      const pauses = await queuePauses.listAcrossTeams()
      const suspects = await deliveries.claimSuspect(worker.id, clock.now())
      await worker.book.promote()
      const room = { free: PLACES, freeForBulk: PLACES, at: () => PLACES }
      const choice = chooseLanes((await worker.book.lanes()).lanes, room, worker.turns)
      worker.turns = choice.turns
      const claimed = await deliveries.claim(worker.id, choice.allotments)
      worker.book.note(choice.allotments, claimed)
      return take(worker, [...suspects, ...claimed], pauses)
    },

    async begin(index: number) {
      const worker = pick(
        workers.filter(({ claimed }) => claimed.length > 0),
        index,
      )
      if (!worker) return
      const attempts = worker.claimed.splice(0).map((delivery) => ({ delivery, attemptId: createId() }))
      const begun = await beginAs(worker, attempts)
      worker.begun.push(...begun)
      for (const { delivery } of begun) if (canceled.has(delivery.emailId)) broken.push(`${delivery.emailId} was begun after its cancel`)
    },

    /** Settles some of what a worker has begun, possibly twice, because the first answer was lost. */
    async settle(index: number, { count, kind, isTwice }: { count: number; kind: OutcomeKind; isTwice: boolean }) {
      const worker = pick(
        workers.filter(({ begun }) => begun.length > 0),
        index,
      )
      if (!worker) return
      const settlements = await settleAs(worker, worker.begun.splice(0, count), kind)
      if (isTwice) await deliveries.settle(worker.id, settlements, clock.now())
    },

    async giveBack(index: number) {
      const worker = pick(workers, index)
      const ids = worker?.claimed.splice(0).map(({ id }) => id) ?? []
      if (worker) await deliveries.release(worker.id, ids, clock.now())
    },

    /** Its lease expires: another worker releases what it held, and it starts again under another id. It may still finish what it was doing. */
    async die(index: number) {
      const worker = pick(
        workers.filter((one) => held(one).length > 0),
        index,
      )
      if (worker) await dieAs(worker)
    },

    /** What was begun before its death is a fact, but nothing new may begin. */
    async haunt(index: number, kind: OutcomeKind) {
      const ghost = pick(
        ghosts.filter((one) => held(one).length > 0),
        index,
      )
      if (!ghost) return
      const late = await beginAs(
        ghost,
        ghost.claimed.splice(0).map((delivery) => ({ delivery, attemptId: createId() })),
      )
      if (late.length > 0) broken.push(`${ghost.id} began after its death`)
      await settleAs(ghost, ghost.begun.splice(0), kind)
    },

    async cancel(index: number) {
      const id = pick(scheduledIds, index)
      for (const token of [service.token, service.other.token]) {
        if (id !== undefined && (await service.call('POST', `/emails/${id}/cancel`, { token })).status === 200) canceled.add(id)
      }
    },

    async reschedule(index: number, inMs: number) {
      const id = pick(scheduledIds, index)
      const body = { scheduled_at: new Date(clock.now().getTime() + inMs).toISOString() }
      for (const token of [service.token, service.other.token]) await service.call('PATCH', `/emails/${id}`, { token, body })
    },

    pause: (part: QueuePart) => queuePauses.addAcrossTeams(part, clock.now()),

    /** May be stopped before anything was taken back. The workers do it then. */
    async resume(part: QueuePart, { isCutShort }: { isCutShort: boolean }) {
      await queuePauses.removeWithinAcrossTeams(part)
      if (!isCutShort) await lanes.unparkAcrossTeams(part, clock.now())
    },

    retry: () => lanes.retryAcrossTeams(WHOLE_QUEUE, clock.now()),

    async dieAll() {
      for (const worker of workers) await dieAs(worker)
    },
  }

  async function dieAs(worker: Worker): Promise<void> {
    if (!(await workerLeases.free(worker.id, '0', clock.now()))) broken.push(`${worker.id} was not freed`)
    ghosts.push({ ...worker })
    Object.assign(worker, await enter())
  }

  async function beginAs(worker: Worker, attempts: Begun[]): Promise<Begun[]> {
    const wanted = attempts.map(({ delivery, attemptId }) => ({
      deliveryId: delivery.id,
      attemptId,
      sentNotification: sentNotification(delivery),
    }))
    const begun = await deliveries.begin(worker.id, wanted, clock.now())
    return attempts.filter(({ delivery }) => begun.has(delivery.id))
  }

  return world
}

export type EngineWorld = Awaited<ReturnType<typeof createEngineWorld>>
