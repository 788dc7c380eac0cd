import { Center, Group, Loader, type MantineSize, Text } from '@mantine/core'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type LoadingMarkProps = {
  /** What is read. */
  label?: string
  size?: MantineSize
}

/** A mark without room around it. A name alone is not allowed on an element without a role (WAI-ARIA 1.2, section 5.2.8.6). */
export const LoadingMark = ({ label = TEXTS.loading, size = 'sm' }: LoadingMarkProps) => (
  <Loader role="status" aria-label={label} size={size} />
)

/** A mark in the middle of what is read. */
export const Loading = ({ label }: { label?: string }) => (
  <Center p="xl">
    <LoadingMark {...(label && { label })} size="md" />
  </Center>
)

/** A mark and words that say what is awaited. */
export const LoadingWords = ({ children }: { children: string }) => (
  <Group gap="xs" role="status">
    <Loader size="xs" />
    <Text size="sm">{children}</Text>
  </Group>
)
