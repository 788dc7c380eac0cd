import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link to a page of the console: `<PageLink to="/emails">`. In a new tab, what is typed on this page stays. */
export const PageLink = ({
  to,
  children,
  search,
  size,
  isNewTab = false,
  ...props
}: AnchorProps & { to: string; search?: Record<string, string>; isNewTab?: boolean; children: ReactNode }) => (
  <Anchor
    inherit={size === undefined}
    size={size}
    component={Link}
    to={to as never}
    search={(search ?? {}) as never}
    {...(isNewTab && { target: '_blank', rel: 'noopener' })}
    {...props}
  >
    {children}
  </Anchor>
)
