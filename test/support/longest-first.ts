import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, so that none of them begins when the others have ended. Vitest knows how long a file takes only after a run. */
export const LONGEST_FILES = [
  'journeys/automations-killed.test.ts',
  'journeys/automation-step-killed.test.ts',
  'journeys/received-mail-killed.test.ts',
  'journeys/broadcast-killed.test.ts',
  'journeys/webhooks-killed.test.ts',
  'journeys/kills.test.ts',
  'journeys/submitted-mail-killed.test.ts',
  'journeys/starting-and-stopping.test.ts',
  'journeys/returned-mail-killed.test.ts',
  'journeys/upload-cut-short.test.ts',
  'journeys/import-killed.test.ts',
  'journeys/outages.test.ts',
  'journeys/stalls.test.ts',
  'browser/every-page.test.ts',
  'command-line/start.test.ts',
  'house/linear-work.test.ts',
  'browser/console.test.ts',
  'workers/engine/relay.test.ts',
  'browser/docs.test.ts',
  'oauth/limits.test.ts',
  'browser/unsubscribe.test.ts',
  'oauth/rotation.test.ts',
  'workers/check-claims.test.ts',
  'workers/fetch-attachments.test.ts',
  'command-line/beside-a-service.test.ts',
  'browser/domains.test.ts',
  'database/embedded/embedded-postgres.test.ts',
  'command-line/generated-files.test.ts',
  'plugins/rate-limit.test.ts',
  'repositories/contacts/contacts-deadlocks.test.ts',
]

/** In the order of Vitest, but for the longest files of each project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project)
    return [...byProject.values()].flatMap((specifications) => specifications.sort((one, other) => rankOf(one) - rankOf(other)))
  }
}

/** Its place among the longest; that of all others comes after them. */
export function rankOf({ moduleId }: Pick<TestSpecification, 'moduleId'>): number {
  const rank = LONGEST_FILES.findIndex((name) => moduleId.endsWith(`/test/${name}`))
  return rank === -1 ? LONGEST_FILES.length : rank
}
