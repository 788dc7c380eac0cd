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
  'cli/start.test.ts',
  'house/linear-work.test.ts',
  'modules/delivery/engine/relay.worker.test.ts',
  'browser/app/realistic-team.test.ts',
  'browser/docs.test.ts',
  'modules/oauth/limits.server.test.ts',
  'browser/unsubscribe.test.ts',
  'modules/oauth/rotation.server.test.ts',
  'modules/domains/claims/check-claims.worker.test.ts',
  'modules/emails/fetch-attachments.worker.test.ts',
  'cli/beside-a-service.test.ts',
  'db/embedded/embedded-postgres.test.ts',
  'cli/generated-files.test.ts',
  'plugins/rate-limit.test.ts',
  'modules/audience/contacts/contacts-deadlocks.repository.test.ts',
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
