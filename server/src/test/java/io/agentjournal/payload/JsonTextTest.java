package io.agentjournal.payload;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.agentjournal.refusal.Refusal.InvalidField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        " [1, 2]\r\n\t",
        "true",
        "null",
        "\"\"",
        "-0",
        "9007199254740993",
        "1e400",
        "-1E-9999999999",
        "{\"a\":1,\"a\":2}",
        "\"\\u0000\\ud800\"",
        "\"\u007f\u0085\u2028 é 😀\"",
      })
  void what_is_json_passes(String text) {
    assertDoesNotThrow(() -> JsonText.check("payload", ByteString.copyFromUtf8(text)));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "``, 0",
        "`  `, 2",
        "NaN, 0",
        "{\"a\":NaN}, 5",
        "[-Infinity], 1",
        "`[1,]`, 3",
        "`{\"a\":1,}`, 7",
        "{} {}, 3",
        "1 2, 2",
        "{\"a\":1}], 7",
        "{a:1}, 1",
        "{'a':1}, 1",
        "[tru], 1",
        "\"abc, 4",
        "// c, 0",
        "+1, 1",
        ".5, 0",
        "\"éé😀\" x, 11",
        "`\"é😀\n\"`, 7",
        "`\"a\u0000\"`, 2",
        "`\u0000{\u0000}`, 0",
        "`\uFEFF{}`, 0",
      })
  void what_is_not_json_is_refused_with_the_offset_in_bytes(String text, String offset) {
    InvalidField refused =
        assertThrows(
            InvalidField.class, () -> JsonText.check("payload", ByteString.copyFromUtf8(text)));

    assertEquals("payload", refused.facts().get("field"));
    assertEquals(offset, refused.facts().get("offset"));
  }

  @Test
  void nesting_has_a_limit_and_size_has_none() {
    String deep = "[".repeat(JsonText.MAX_DEPTH) + "]".repeat(JsonText.MAX_DEPTH);
    String long16Mi = "x".repeat(16 << 20);

    JsonText.check("payload", ByteString.copyFromUtf8(deep));
    JsonText.check("payload", ByteString.copyFromUtf8("{\"" + long16Mi + "\":1}"));
    JsonText.check("payload", ByteString.copyFromUtf8("[\"" + long16Mi + "\"]"));
    JsonText.check("payload", ByteString.copyFromUtf8("1".repeat(16 << 20)));
    assertThrows(
        InvalidField.class,
        () -> JsonText.check("payload", ByteString.copyFromUtf8("[" + deep + "]")));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      nullValues = "none",
      value = {
        "{\"index\":7}, 7",
        "`{\"a\":{\"index\":1},\"index\":-9223372036854775808}`, -9223372036854775808",
        "`{\"index\":1,\"index\":2}`, 2",
        "`{\"index\":1,\"index\":\"2\"}`, none",
        "{\"index\":9223372036854775808}, none",
        "{\"index\":1.0}, none",
        "{\"index\":true}, none",
        "`{\"a\":{\"index\":1}}`, none",
        "{}, none",
        "[7], none",
        "7, none",
      })
  void a_member_is_found_if_it_is_a_whole_number_of_64_bits(String text, Long found) {
    assertEquals(found, JsonText.longMember(ByteString.copyFromUtf8(text), "index"));
  }
}
