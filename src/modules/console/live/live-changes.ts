// Tells who watches a team in which sections something has changed. The database is asked once a second about all teams that are watched, by each process
// that has streams; nothing is asked while no one watches.
import { type Clock, within } from '../../../lib/clock.ts'
import { createFairSemaphore } from '../../../lib/limits/fair-semaphore.ts'
import { isLiveSection, type LiveSection, sectionsOfPath } from './live-sections.ts'
import { streamRefusal } from './stream-limits.ts'
import type { TeamVersion, TeamWrites } from './team-changes.repository.ts'

export type ChangeReads = {
  versionsAcrossTeams(teamIds: readonly string[], now: Date): Promise<TeamVersion[]>
  writesAcrossTeams(teamIds: readonly string[], since: { before: Date; now: Date }): Promise<TeamWrites[]>
}

export type LiveChangesOptions = {
  reads: ChangeReads
  clock: Clock
  /** The section of an audited act; null: it is of none. */
  sectionOfAct: (act: string) => LiveSection | null
  onFault: (error: unknown) => void
  everyMs?: number
}

type OnChanged = (sections: ReadonlySet<LiveSection>) => void

/** What was known of a team after the last look. `writes`: since the start of the window. */
type Known = { versions: ReadonlyMap<string, string>; writes: ReadonlyMap<string, number> }
type Watched = Known & { listeners: Set<OnChanged> }

const EVERY_MS = 1_000
/** A look that takes longer hangs. */
const READ_MS_MAX = 10_000
/** Longer than a transaction, or the buffer of the request log, keeps a row back that has got its id. */
const WINDOW_MS = 10_000
/** Looks that wait for the one that runs. */
const LOOKS_WAITING_MAX = 1_000

export function createLiveChanges({ reads, clock, sectionOfAct, onFault, everyMs = EVERY_MS }: LiveChangesOptions) {
  const watched = new Map<string, Watched>()
  /** One at a time, so that each begins with what the one before has found. */
  const looks = createFairSemaphore({
    atOnceMax: { perKey: 1, inAll: 1 },
    waitingMax: { perKey: LOOKS_WAITING_MAX, inAll: LOOKS_WAITING_MAX },
    waitMsMax: READ_MS_MAX,
    refusal: () => late(),
  })
  let windowStart = clock.now()
  let timer: NodeJS.Timeout | null = null

  /**
   * Calls back whenever something of the team has changed after this has resolved, at most once a second.
   * @throws Failure `unavailable` if the database does not answer in time.
   */
  async function watch(teamId: string, onChanged: OnChanged): Promise<() => void> {
    await looks.run(teamId, async () => {
      const there = watched.get(teamId)
      if (there) return void there.listeners.add(onChanged)
      const known = (await look([teamId], windowStart)).get(teamId) ?? NOTHING
      watched.set(teamId, { ...known, listeners: new Set([onChanged]) })
      later()
    })
    return () => {
      const there = watched.get(teamId)
      there?.listeners.delete(onChanged)
      if (there?.listeners.size === 0) watched.delete(teamId)
    }
  }

  function later(): void {
    if (timer === null && watched.size > 0) timer = setTimeout(() => void turn(), everyMs)
  }

  async function turn(): Promise<void> {
    try {
      await looks.run(ALL, tell)
    } catch (error) {
      // The next look finds what this one did not.
      onFault(error)
    }
    timer = null
    later()
  }

  async function tell(): Promise<void> {
    const asked = new Map(watched)
    const next = new Date(clock.now().getTime() - WINDOW_MS)
    const seen = await look([...asked.keys()], next)
    windowStart = next
    for (const [teamId, before] of asked) {
      const { versions, writes, writesBefore } = seen.get(teamId) ?? NOTHING
      const sections = new Set([...changedVersions(before.versions, versions), ...changedWrites(before.writes, writesBefore)])
      Object.assign(before, { versions, writes })
      if (sections.size > 0) for (const listener of before.listeners) listener(sections)
    }
  }

  async function look(teamIds: string[], next: Date): Promise<Map<string, Known & { writesBefore: ReadonlyMap<string, number> }>> {
    const [versions, writes] = await within(
      READ_MS_MAX,
      Promise.all([reads.versionsAcrossTeams(teamIds, clock.now()), reads.writesAcrossTeams(teamIds, { before: windowStart, now: next })]),
      () => {
        throw late()
      },
    )
    const versionsOf = Map.groupBy(versions, ({ teamId }) => teamId)
    const writesOf = Map.groupBy(writes, ({ teamId }) => teamId)
    return new Map(
      teamIds.map((teamId) => {
        const written = writesOf.get(teamId) ?? []
        return [
          teamId,
          {
            versions: new Map(versionsOf.get(teamId)?.map(({ what, version }) => [what, version])),
            writes: new Map(written.map(({ what, now }) => [what, now])),
            writesBefore: new Map(written.map(({ what, before }) => [what, before])),
          },
        ]
      }),
    )
  }

  function* changedWrites(before: Known['writes'], now: Known['writes']): Generator<LiveSection> {
    for (const [what, count] of now) {
      if (count === (before.get(what) ?? 0)) continue
      const [kind, name = ''] = what.split(' ', 2)
      if (kind === 'act') {
        yield 'audit-log'
        const section = sectionOfAct(name)
        if (section) yield section
      } else {
        yield 'logs'
        yield* sectionsOfPath(name)
      }
    }
  }

  return {
    watch,
    close(): void {
      looks.close()
      watched.clear()
      if (timer) clearTimeout(timer)
    },
  }
}

const ALL = 'all'
const late = () => streamRefusal('unavailable', 'What has changed could not be read in time.')
const NOTHING = { versions: new Map(), writes: new Map(), writesBefore: new Map() }

/** A version of something that was not seen before is a change too: the first of its kind. */
function* changedVersions(before: Known['versions'], now: Known['versions']): Generator<LiveSection> {
  for (const [what, version] of now) {
    const [section = ''] = what.split(' ', 1)
    if (version !== (before.get(what) ?? '') && isLiveSection(section)) yield section
  }
}
