import { Button, type ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A button that leads to another page. */
export const LinkButton = ({
  to,
  search,
  children,
  ...props
}: ButtonProps & { to: string; search?: Record<string, string>; children: ReactNode }) => (
  <Button component={Link} to={to as never} search={(search ?? {}) as never} {...props}>
    {children}
  </Button>
)
