import { Button, type ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMayOpen } from '../shell/may-open'

/** A button that leads to another page, if the role may open it. */
export function LinkButton({
  to,
  search,
  children,
  ...props
}: ButtonProps & { to: string; search?: Record<string, string>; children: ReactNode }) {
  const mayOpen = useMayOpen()
  if (!mayOpen(to)) return null
  return (
    <Button component={Link} to={to as never} search={(search ?? {}) as never} {...props}>
      {children}
    </Button>
  )
}
