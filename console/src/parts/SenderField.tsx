import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { SENDER_TEXTS as TEXTS } from '../texts/sending'
import { useSenders } from './senders'

type SenderFieldProps = Pick<
  AutocompleteProps,
  'label' | 'description' | 'required' | 'value' | 'onChange' | 'error' | 'onBlur' | 'onFocus'
> & {
  /** What it means that it is empty stays beside it. */
  hasOwnHint?: boolean
}

/** A sender: what was used before and the verified domains are offered, and what is typed is completed with one of them. */
export function SenderField({ description, hasOwnHint = false, value = '', ...field }: SenderFieldProps) {
  const { used, verified, isKnown } = useSenders()
  // What is chosen already would hide all others.
  const typed = used.includes(value) ? '' : value
  const completed = verified.map((name) => withDomain(typed, name)).filter((sender) => !used.includes(sender) && sender !== value)
  const offered = used.filter((sender) => sender.toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <Autocomplete
      {...field}
      value={value}
      description={
        !hasOwnHint && isKnown && verified.length > 0 ? TEXTS.verified(verified.slice(0, NAMED_MAX), verified.length) : description
      }
      data={[
        ...(offered.length === 0 ? [] : [{ group: TEXTS.used, items: offered.slice(0, OFFERED_MAX) }]),
        ...(completed.length === 0 ? [] : [{ group: TEXTS.domains, items: [...new Set(completed)].slice(0, OFFERED_MAX) }]),
      ]}
      // What does not fit to what is typed is left out above.
      filter={({ options }) => options}
      autoCapitalize="off"
      autoComplete="off"
      spellCheck={false}
    />
  )
}

const OFFERED_MAX = 8
const NAMED_MAX = 3

/** "Ada <ada@exa" becomes "Ada <ada@example.com>". Without an address it gets the commonest one. */
function withDomain(typed: string, domain: string): string {
  const text = typed.trim()
  const at = text.lastIndexOf('@')
  const before = at === -1 ? null : text.slice(0, at)
  if (before !== null) return `${before}@${domain}${before.includes('<') ? '>' : ''}`
  const name = text.replace(/<.*$/, '').trim()
  return name === '' ? `hello@${domain}` : `${name} <hello@${domain}>`
}
