// What a refusal means to the one who sent the mail, and what to do, in a sentence each.
import { classifyFault, namesSpamTrap } from './bounce-reason.ts'
import type { Answer, Fault } from './phrases.ts'

export type Explained = { explanation: string; advice: string }

/** An answer that is not final: the mail is retried. */
export const explainDelay = (answer: Answer): Explained => ({
  explanation: EXPLANATIONS[faultOf(answer)],
  advice: ADVICE_FOR_NOW[faultOf(answer)],
})

/** An answer after which the mail is not retried. */
export function explainBounce(answer: Answer): Explained {
  if (namesSpamTrap(answer.text)) return SPAM_TRAP
  const fault = faultOf(answer)
  return { explanation: EXPLANATIONS[fault], advice: ADVICE_FOR_GOOD[fault] }
}

type Meaning = Fault | 'silence'

/** Without a reply, the text is ours: it says what went wrong with the connection. */
const faultOf = (answer: Answer): Meaning =>
  answer.code === 0 && answer.enhancedCode === null && classifyFault(answer) === 'unclear' ? 'silence' : classifyFault(answer)

/** Why an address is suppressed by a bounce, in the words of the bounce. */
export const NO_SUCH_ADDRESS = 'The address does not exist, or its domain does not accept mail.'

const EXPLANATIONS: Record<Meaning, string> = {
  address: NO_SUCH_ADDRESS,
  route: 'The mail could not be routed: a server on the way to the address does not accept mail for it.',
  policy: 'The server refused the sender: its reputation, its IP address or its authentication (SPF, DKIM, DMARC).',
  rate: 'The server takes less mail from this sender at once than was sent, or does not know the sender yet.',
  content: 'The server took the content of the mail for spam.',
  attachment: 'The server does not accept one of the attachments.',
  full: 'The mailbox is full.',
  size: 'The mail is too large for the mailbox or its server.',
  system: 'The server of the recipient did not work at that moment.',
  unclear: 'The server refused the mail and did not say why.',
  silence: 'No server of the recipient could be reached, or the connection broke.',
}

const WAIT = 'Nothing: it is retried for up to three days.'

const ADVICE_FOR_NOW: Record<Meaning, string> = {
  ...{ address: WAIT, route: WAIT, content: WAIT, attachment: WAIT, size: WAIT, system: WAIT, unclear: WAIT, silence: WAIT },
  policy: 'It is retried for up to three days. If this stays, look at the DNS records of the sending domain and at blocklists.',
  rate: 'Nothing: sending slows down and the mail is retried. If it happens often, send less at once.',
  full: 'Nothing: it is retried for up to three days, in case the person makes room.',
}

const ADVICE_FOR_GOOD: Record<Meaning, string> = {
  address: 'Correct the address, or remove it from your lists: more mail to it harms your reputation.',
  route: 'Check the address. If it is right, the owner of its domain has to correct its mail servers.',
  policy:
    'Check that the domain is verified with SPF, DKIM and DMARC, and whether its IP address is on a blocklist. The address itself may be fine.',
  rate: 'Send it again later, and send less at once. The address itself is fine.',
  content: 'Change what looks like spam, such as shortened links, many images or a subject in capitals, and send it again.',
  attachment: 'Send a link to the file instead.',
  full: 'Send it again in some days. After several such bounces in a row the address is suppressed.',
  size: 'Send a smaller mail, with links in place of attachments.',
  system: 'Send it again later. If it happens again, ask the person for another address.',
  unclear: 'Read the answer of the server. If you cannot see a reason in it, ask the person for another address.',
  silence: 'Check the domain of the address for a typing error. Otherwise send it again later.',
}

const SPAM_TRAP: Explained = {
  explanation: 'The address is a spam trap: no person uses it, and mail to it shows that addresses were not collected with consent.',
  advice: 'Remove the address, and every address that came from the same source. Send to people who confirmed that they want your mail.',
}
