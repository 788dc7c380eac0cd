import { Badge } from '@mantine/core'

const FAILED = 500
const REFUSED = 400
/** In pixels: its three digits are never cut. */
const WIDTH_MIN = 48

/** A status of HTTP: green is done, orange was refused, red is our fault. */
export const LogStatus = ({ status }: { status: number }) => (
  <Badge variant="light" miw={WIDTH_MIN} color={status >= FAILED ? 'red' : status >= REFUSED ? 'orange' : 'green'}>
    {status}
  </Badge>
)
