// What accounts gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Caller } from '../../http/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Failure } from '../../lib/failure.ts'
import type { RequestCount } from '../../lib/limits/counts.ts'
import { apiKeyRepository, type EndGrants } from './api-keys.repository.ts'
import { challengeRepository, passkeyRepository } from './passkeys/passkeys.repository.ts'
import type { InstallationMailBox, InstallationMails } from './people/installation-mail.service.ts'
import { installationMailRepository } from './people/installation-mails.repository.ts'
import { invitationRepository } from './people/invitations.repository.ts'
import { personRepository } from './people/persons.repository.ts'
import { confirmationRepository } from './sessions/confirmations.repository.ts'
import type { IdentityProvider } from './sessions/identity-provider.client.ts'
import { sessionRepository } from './sessions/sessions.repository.ts'
import { signInLinkRepository } from './sessions/sign-in-links.repository.ts'
import { teamRemovalRepository } from './teams/team-removal.repository.ts'
import { teamRepository } from './teams/teams.repository.ts'

/** Who a key belongs to, and how often it is tried, for all ways in together. */
export type KeyRecognition = {
  /** Returns a Failure of the kind `invalidApiKey` for an unknown key, which the caller counts, or `rateLimited`. */
  recognize(address: string, token: string): Promise<Caller | Failure>
  /** Counts a failed credential of a client address; null if nothing is limited. */
  countFailure(address: string): RequestCount | null
  /** Counts a request of a team; null if nothing is limited. */
  countRequest(teamId: string): RequestCount | null
  /** Counts bytes that a team sends. Returns a Failure of the kind `rateLimited` while there are too many. */
  countBytes(teamId: string, bytes: number): Failure | null
}

/** The credential of the operator, which belongs to no team. */
export type OperatorKeys = {
  /** Whether this is one. Returns a Failure of the kind `rateLimited` while the client address has tried too many that were not. */
  verify(address: string, token: string): boolean | Failure
  countFailure(address: string): void
}

export type AccountsContext = {
  repositories: ReturnType<typeof accountsRepositories>
  gateways: {
    /** Null unless one is configured. */
    identityProvider: IdentityProvider | null
  }
  keyRecognition: KeyRecognition
  operatorKeys: OperatorKeys
  installationMails: InstallationMails
  installationMailBox: InstallationMailBox
}

export const accountsRepositories = (
  database: Database,
  {
    onLost,
    endGrants,
    onGrantsEnded,
    clock,
    publicUrl,
  }: { onLost: (count: number, reason: unknown) => void; endGrants: EndGrants; onGrantsEnded: () => void; clock: Clock; publicUrl: string },
) => ({
  answeredChallenges: challengeRepository(database),
  apiKeys: apiKeyRepository(database, { clock, onLost, endGrants, onGrantsEnded }),
  confirmations: confirmationRepository(database),
  installationMails: installationMailRepository(database, { clock }),
  invitations: invitationRepository(database, { clock }),
  passkeys: passkeyRepository(database),
  persons: personRepository(database, { clock, endGrants, onGrantsEnded }),
  sessions: sessionRepository(database),
  signInLinks: signInLinkRepository(database),
  teamRemovals: teamRemovalRepository(database, { clock }),
  teams: teamRepository(database, { clock, publicUrl }),
})
