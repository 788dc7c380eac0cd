// People who are operators of the installation, by their address.
import type { Config } from '../../../config/config.ts'

/** Someone has an address here once they were reached there, or their identity provider has verified it. */
export const isOperator = ({ operators }: Pick<Config, 'operators'>, { email }: { email: string }): boolean => operators.includes(email)
