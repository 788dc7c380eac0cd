import { isProblem, type Problem, problem } from '../../lib/problem.ts'
import { simulatedOutcome } from '../simulator.ts'
import { contactAddress } from './contact-addresses.ts'

/**
 * An address in the form in which the suppression list has it. Addresses of the simulator are refused, because mail to them is never skipped for
 * being on the list.
 */
export function suppressibleAddress(text: string, simulatorDomains: readonly string[]): string | Problem {
  const email = contactAddress(text)
  if (typeof email !== 'string' && isProblem(email)) return email
  return simulatedOutcome(email, simulatorDomains) === null
    ? email
    : problem('is an address of the simulator, which cannot be suppressed: mail to `suppressed@` of this domain shows what would happen')
}
