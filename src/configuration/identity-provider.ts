// The identity provider by which people sign in to the console, and what its groups may sign in to.
import type { Variables } from '../environment.ts'
import { isId } from '../lib/ids.ts'
import { isLoopback } from '../lib/loopback.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { list, url } from './values.ts'
import { wrong } from './wrong-values.ts'

/** More groups than any installation has teams. */
const OIDC_GROUPS_MAX = 1_000

export function identityProvider(variables: Variables) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = variables
  if (issuer === undefined) return null
  if (clientId === undefined || clientSecret === undefined)
    throw new StartupProblem('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: those of this service at the identity provider.')
  const { protocol, hostname } = url('OIDC_ISSUER', issuer, ['http:', 'https:'])
  if (protocol === 'http:' && !isLoopback(hostname)) throw wrong('OIDC_ISSUER', 'a URL that begins with https://', issuer)
  const groups = list(variables.OIDC_GROUPS)
  if (groups.length === 0 || groups.length > OIDC_GROUPS_MAX)
    throw new StartupProblem(`OIDC_ISSUER needs OIDC_GROUPS: 1 to ${OIDC_GROUPS_MAX} groups such as support=TEAM_ID or admins=operator.`)
  return {
    ...{ issuer, clientId, clientSecret, groupsClaim: variables.OIDC_GROUPS_CLAIM, scopes: variables.OIDC_SCOPES },
    groups: groups.map(signInGroup),
  }
}

/** `teamId`: null for operators. */
function signInGroup(value: string): { group: string; teamId: string | null } {
  const at = value.lastIndexOf('=')
  const [group, target] = [
    value.slice(0, Math.max(0, at)).trim(),
    value
      .slice(at + 1)
      .trim()
      .toLowerCase(),
  ]
  if (group === '' || !(target === 'operator' || isId(target)))
    throw wrong('OIDC_GROUPS', 'groups such as support=TEAM_ID or admins=operator, separated by commas', value)
  return { group, teamId: target === 'operator' ? null : target }
}
