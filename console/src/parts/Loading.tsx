import { Center, Loader } from '@mantine/core'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

/** While the record of a page is read. */
export const Loading = () => (
  <Center p="xl" role="status" aria-label={TEXTS.loading}>
    <Loader />
  </Center>
)
