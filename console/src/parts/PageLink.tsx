import { Anchor, type AnchorProps, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMayOpen } from '../shell/may-open'

/**
 * A link to a page of the console: `<PageLink to="/emails">`. In a new tab, what is typed on this page stays. Where the role may not open the page, the name
 * stands there without a link; `onlyLeads`: words that say nothing else, such as "Its emails", are left out.
 */
export function PageLink({
  to,
  children,
  search,
  size,
  isNewTab = false,
  onlyLeads = false,
  ...props
}: AnchorProps & { to: string; search?: Record<string, string>; isNewTab?: boolean; onlyLeads?: boolean; children: ReactNode }) {
  const mayOpen = useMayOpen()
  if (!mayOpen(to))
    return onlyLeads ? null : (
      <Text span inherit={size === undefined} size={size}>
        {children}
      </Text>
    )
  return (
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
}
