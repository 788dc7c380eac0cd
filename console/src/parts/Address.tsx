import { Text } from '@mantine/core'
import { addressIn } from './addresses'

/** The address of `Ada <ada@example.com>`; all of it on hovering. */
export const Address = ({ of, isDimmed = false }: { of: string; isDimmed?: boolean }) => (
  <Text span inherit component="bdi" title={of} {...(isDimmed && { c: 'dimmed' })}>
    {addressIn(of)}
  </Text>
)
