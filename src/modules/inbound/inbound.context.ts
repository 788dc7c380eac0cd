// What inbound gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { MessageFilter } from './filter/message-filter.client.ts'
import {
  inboundListRepository,
  inboundMessageRepository,
  keptContentRepository,
  unnamedBlobRepository,
} from './inbound-messages.repository.ts'
import type { ReceivedReader } from './reading/received-reader.ts'
import { receivedEmailRepository } from './received.repository.ts'
import { receivedAmountRepository, receivingDomainRepository, waitingContentRepository } from './receiving.repository.ts'
import { waitingReceivedRepository } from './waiting-received.repository.ts'

export type InboundContext = {
  repositories: ReturnType<typeof inboundRepositories>
  gateways: {
    /** Reads received emails, in a thread of its own. */
    received: ReceivedReader
    /** The filter of the operator for received emails; null if there is none. */
    filter: MessageFilter | null
  }
}

export const inboundRepositories = (database: Database) => ({
  inboundList: inboundListRepository(database),
  inboundMessages: inboundMessageRepository(database),
  keptContents: keptContentRepository(database),
  waitingContents: waitingContentRepository(database),
  receivedEmails: receivedEmailRepository(database),
  receivedAmounts: receivedAmountRepository(database),
  receivingDomains: receivingDomainRepository(database),
  unnamedBlobs: unnamedBlobRepository(database),
  waitingReceived: waitingReceivedRepository(database),
})
