// What request logs may keep: a body tells everyone who reads logs what an operation of another section answers.
import type { Operation } from '../../http/operation.ts'
import { SCOPES_OF_ROLES } from './people/roles.ts'
import { includesScope, requiredScopes } from './scopes.ts'

/** The scopes of each role that reads logs. Keys read them too, and everything but what only people call. */
const READERS = Object.values(SCOPES_OF_ROLES).filter((scopes) => includesScope(scopes, 'logs:read'))

/** Whether everyone who reads logs may call the operation, and so read what it takes and answers. */
export const isForLogReaders = (operation: Pick<Operation, 'byPeople'> & Parameters<typeof requiredScopes>[0]): boolean =>
  !operation.byPeople && READERS.every((scopes) => requiredScopes(operation).every((scope) => includesScope(scopes, scope)))

export const NOT_FOR_LOG_READERS =
  'Not kept, because not everyone who reads request logs may read this. The audit log has who changed what.'
