// What oauth gives to those that come after: its repositories, and what else compose makes of it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Act } from '../../db/acts.ts'
import type { Database } from '../../db/database.ts'
import type { Caller } from '../../http/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ClientDocuments } from './client-documents.client.ts'
import { oauthClientRepository } from './clients.repository.ts'
import { oauthGrantRepository } from './grants.repository.ts'
import { oauthRecordRepository } from './records.repository.ts'

/** What a program asks a person for. */
export type ConsentRequest = {
  uid: string
  /** `isDocument`: it is known by the host of its `client_id`. */
  client: { clientId: string; name: string; uri: string | null; logoUri: string | null; isDocument: boolean }
  redirectUri: string
  scopes: string[]
  resource: string | null
  /** The program wants the person to be asked, whatever they decided before. */
  mustAsk: boolean
}

/** What the command line asks a person for, by the code that it shows. */
export type DeviceRequest = {
  digest: string
  client: { clientId: string; name: string }
  scopes: string[]
  resource: string | null
}

/** `scopes`: what the program gets, at most what it asked for. `grantId`: access that the person gave before, in place of a new grant. `act`: what the audit log says of it. */
export type ConsentDecision = 'refused' | Allowance
export type Allowance = { teamId: string; personId: string; scopes: readonly string[]; act: Act; grantId?: string }

export type AuthorizationServer = {
  /** Answers a request at one of the addresses of the protocol. */
  handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void>
  /** What the browser of a request is asked for; null if it was decided, has expired, or another browser asked. */
  requestOf(request: IncomingMessage, response: ServerResponse): Promise<ConsentRequest | null>
  /** Returns where the browser goes then; null if it was decided already, `too many grants` if the team has as many as it may. */
  decide(
    request: IncomingMessage,
    response: ServerResponse,
    asked: ConsentRequest,
    decision: ConsentDecision,
  ): Promise<{ location: string } | null | 'too many grants'>
  /** What the code of a command line asks for, however it was typed; null unless it is open. */
  deviceRequestOf(userCode: string): Promise<DeviceRequest | null>
  /** Null if it was decided already or has expired, `too many grants` if the team has as many as it may. */
  decideDevice(asked: DeviceRequest, decision: ConsentDecision): Promise<'decided' | null | 'too many grants'>
  /** The team and the grant of an access token; null unless it may be used now. */
  recognize(token: string): Promise<Caller | null>
}

export type OauthContext = {
  repositories: ReturnType<typeof oauthRepositories>
  gateways: {
    /** What clients say about themselves at the address that is their `client_id`. */
    clientDocuments: ClientDocuments
  }
  authorizationServer: AuthorizationServer
}

export const oauthRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  oauthClients: oauthClientRepository(database, { clock }),
  oauthGrants: oauthGrantRepository(database, { clock }),
  oauthRecords: oauthRecordRepository(database, { clock }),
})
