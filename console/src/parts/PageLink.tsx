import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link to a page of the console: `<PageLink to="/emails">`. */
export const PageLink = ({
  to,
  children,
  search,
  size,
  ...props
}: AnchorProps & { to: string; search?: Record<string, string>; children: ReactNode }) => (
  <Anchor inherit={size === undefined} size={size} component={Link} to={to as never} search={(search ?? {}) as never} {...props}>
    {children}
  </Anchor>
)
