// Who reads the audit log. A key has no role, so it goes by that of the person who made it: a developer would read by a key what their role excludes.
import type { Caller } from '../../http/operation.ts'
import { Failure } from '../../lib/failure.ts'
import type { AccountsContext } from './accounts.context.ts'
import { SCOPES_OF_ROLES } from './people/roles.ts'
import { includesScope, requireScope } from './scopes.ts'

type Needs = { repositories: Pick<AccountsContext['repositories'], 'apiKeys' | 'persons'> }

const READ_AUDIT_LOG = 'audit-log:read'

/**
 * Keys that no person made (the command line, keys from before people) read it as before.
 * @throws Failure `invalidPermission`
 */
export async function requireAuditReader({ repositories: { apiKeys, persons } }: Needs, caller: Caller): Promise<void> {
  requireScope(caller, READ_AUDIT_LOG)
  if (caller.scopes) return
  const maker = await apiKeys.makerOf(caller.teamId, caller.apiKeyId)
  if (maker === null) return
  const role = await persons.roleIn(caller.teamId, maker)
  if (role === null || !includesScope(SCOPES_OF_ROLES[role], READ_AUDIT_LOG)) throw new Failure('invalidPermission', KEY_OF_ANOTHER_ROLE)
}

const KEY_OF_ANOTHER_ROLE =
  'This API key may not read the audit log, because the person who made it is not an owner or admin of the team now. Use a key that an owner or admin made, or the command line.'
