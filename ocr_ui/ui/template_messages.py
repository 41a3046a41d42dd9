"""What is wrong with a template file or a variable, in Chinese, by the code of its `Fault`.

As in `messages`: the English sentences stand where they arise.
"""

from __future__ import annotations

FAULTS_ZH: dict[str, str] = {
    "alias": "不能使用别名（*名称）",
    "bad_name": "{name} 不能作为名称，请用小写字母、数字和下划线，最多 41 个字符",
    "choice_empty": "可选值不能为空",
    "choice_twice": "可选值 {value} 出现了两次",
    "default_no_choice": "默认值 {value} 不在可选值中",
    "half_character": "含有不完整的字符",
    "key_twice": "{key} 出现了两次",
    "no_labels": "{key} 应按语言填写：{en: ..., zh: ...}",
    "no_list": "{key} 应为列表，每项写作“- 键: 值”",
    "no_mapping": "设置应逐行写作“键: 值”",
    "no_settings": "文件开头应为两行 --- 之间的设置",
    "not_a_file": "这里是文件夹或其他不含文本的内容",
    "not_utf8": "文件不是 UTF-8 文本",
    "not_yaml": "YAML 语法有误",
    "other_name": "名称应与文件名一致，即 {name}",
    "quotes": "{found} 应加引号",
    "structured_task": "只有任务为 fields 的模板才能限定回答",
    "too_large": "文件超过 {limit} 字节",
    "too_many_choices": "可选值最多 {limit} 个",
    "unknown_key": "没有 {key} 这一项，可用：{known}",
    "unreadable": "文件无法读取，系统报告：{problem}",
    "variable_name": "变量需要名称，请用小写字母、数字和下划线",
    "variable_name_once": "名称应为小写字母、数字和下划线，且只出现一次",
    "variable_twice": "有两个变量同名",
    "variable_unused": "指令中没有变量 {name}",
    "word_too_long": "名称、默认值和可选值最多 {limit} 个字符",
    "yes_or_no": "{key} 应为 true 或 false",
}
