// People who are operators of the installation: by their address, or by their groups at the identity provider.
import type { Config } from '../../../config/config.ts'

type Person = { email: string; isOperatorByGroup: boolean }

/** Someone has an address here once they were reached there, or their identity provider has verified it. */
export const isOperator = (config: Pick<Config, 'operators' | 'oidc'>, { email, isOperatorByGroup }: Person): boolean =>
  config.operators.includes(email) || (isOperatorByGroup && hasOperatorGroup(config))

/** Without any, there are no operations for them: their paths are unknown. A key stands for a program. */
export const hasOperators = (config: Pick<Config, 'operators' | 'oidc' | 'operatorKeys'>): boolean =>
  config.operatorKeys.length + config.operators.length > 0 || hasOperatorGroup(config)

/** Without such a group, no session is that of an operator anymore. */
const hasOperatorGroup = ({ oidc }: Pick<Config, 'oidc'>): boolean => oidc?.groups.some(({ teamId }) => teamId === null) ?? false
