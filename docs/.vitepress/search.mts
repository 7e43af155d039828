import type { DefaultTheme } from 'vitepress'

/**
 * Splits text at spaces and punctuation, and Chinese text into all pairs of characters,
 * because it has no spaces between words. The index also contains the last character of
 * a text, so that a single character is found wherever it is. Runs in the browser too:
 * it must not refer to anything outside.
 */
const tokenize = (text: string, field?: string): string[] =>
  (text.match(/\p{Script=Han}+|[^\n\r\p{Z}\p{P}\p{Script=Han}]+/gu) ?? []).flatMap((word) =>
    /\p{Script=Han}/u.test(word)
      ? Array.from({ length: field ? word.length : Math.max(word.length - 1, 1) }, (_, index) => word.slice(index, index + 2))
      : word)

export const search: DefaultTheme.Config['search'] = {
  provider: 'local',
  options: {
    miniSearch: { options: { tokenize } },
    locales: {
      'zh-CN': {
        translations: {
          button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
          modal: {
            displayDetails: '显示详细列表',
            resetButtonTitle: '清除查询',
            backButtonTitle: '关闭搜索',
            noResultsText: '没有找到结果',
            footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
          },
        },
      },
    },
  },
}
