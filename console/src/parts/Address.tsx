import { Text } from '@mantine/core'
import { addressIn } from './addresses'

/** The address of `Ada <ada@example.com>`; all of it on hovering. */
export const Address = ({ of, isDimmed = false }: { of: string; isDimmed?: boolean }) => (
  <Text span inherit component="bdi" title={of} {...(isDimmed && { c: 'dimmed' })}>
    <BreakAfterAt text={addressIn(of)} />
  </Text>
)

/** A name and its address, in this order whatever the direction in which the name is read. */
export function Mailbox({ of }: { of: string }) {
  const begin = of.lastIndexOf('<')
  if (begin <= 0) return <bdi>{of}</bdi>
  return (
    <>
      <bdi>{of.slice(0, begin).trim()}</bdi> <bdi>{of.slice(begin)}</bdi>
    </>
  )
}

/** A line that is too short for an address ends at its `@` rather than within a word. */
export function BreakAfterAt({ text }: { text: string }) {
  const end = text.lastIndexOf('@') + 1
  return (
    <>
      {text.slice(0, end)}
      <wbr />
      {text.slice(end)}
    </>
  )
}
