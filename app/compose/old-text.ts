/** What the screen asks of the tools: the text that a change was made for. */
export { oldText } from '@sluice/tools'
